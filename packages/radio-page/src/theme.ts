/** Light or dark: as chosen; otherwise dark while the viewer's system is, and at night at the own locator. */
import { sunPosition } from "hamkit/locator";

export const THEME_CHOICES = ["auto", "light", "dark"] as const;
export type ThemeChoice = (typeof THEME_CHOICES)[number];

/** The sun's center at sunset, in degrees: the upper limb on the horizon, with average refraction. */
const SUNSET = -0.833;

export function isThemeChoice(text: string | undefined): text is ThemeChoice {
  return THEME_CHOICES.some((choice) => choice === text);
}

export function themeOf(
  choice: ThemeChoice,
  viewer: { readonly isSystemDark: boolean; readonly locator: string | undefined; readonly now: Date },
): "light" | "dark" {
  if (choice !== "auto") return choice;
  const { isSystemDark, locator, now } = viewer;
  if (isSystemDark) return "dark";
  return locator !== undefined && sunPosition(locator, now).elevation < SUNSET ? "dark" : "light";
}
