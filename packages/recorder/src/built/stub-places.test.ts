/** Places that a built file says of itself: there and back. */
import { expect, test } from "vitest";
import { readPlaces } from "./stub-places.ts";

// Line 1: 2 own, 3 inserted, 4 own, 1 inserted. Line 2: the head, 100 units long, behind column 2.
const NOTE = "7 main.js.orangebox\n1 2 000000100\nCDEB;CB\n";

test.each([
  [1, 1, 1],
  [1, 3, 3],
  [1, 6, 3],
  [1, 7, 4],
  [1, 10, 7],
  [1, 11, 7],
  [1, 15, 11],
  [2, 2, 2],
  [2, 50, 3],
  [2, 110, 9],
  [9, 5, 5],
])("line %i, column %i is column %i without probes", (line, column, plain) => {
  expect(readPlaces(NOTE)?.plain(line, column)).toEqual({ line, column: plain });
});

test.each([
  [1, 1, 1],
  [1, 3, 6],
  [1, 4, 7],
  [1, 7, 11],
  [2, 2, 2],
  [2, 9, 110],
  [9, 5, 5],
])("line %i, column %i without probes is column %i in the file", (line, plain, column) => {
  expect(readPlaces(NOTE)?.inFile(line, plain)).toEqual({ line, column });
});

test("a file that says nothing of its places has none", () => {
  expect(readPlaces("7 main.js.orangebox")).toBeUndefined();
});
