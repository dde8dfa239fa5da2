/** Generates the modules with embedded data, from data files of this package and of others. */
for (const subject of ["land", "adif", "zones", "places", "awards", "contests"])
  await import(`./embed-${subject}.mjs`);
