/** Locators, distance and heading per second, and how long `hamkit/locator` takes to load. */
import { execFileSync } from "node:child_process";
import {
  calculateDistance,
  calculateHeading,
  latlongToLocator,
  locatorToLatlong,
  pathPoints,
} from "hamkit/locator";
import { gridSquareToLocation, locationToGridSquare } from "./maidenhead-port.mjs";
