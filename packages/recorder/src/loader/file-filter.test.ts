import { describe, expect, test } from "vitest";
import { createFileFilter, globToPattern } from "./file-filter.ts";

const filter = (include: string[], exclude: string[] = []) =>
  createFileFilter({ include, exclude, cwd: "/app", ownFolders: ["/repo/packages/recorder/"] });

describe("which files get probes", () => {
  test.each<[string, string[], string[], boolean]>([
    ["/app/src/a.ts", [], [], true],
    ["/elsewhere/b.js", [], [], true],
    ["/app/node_modules/left-pad/index.js", [], [], false],
    ["/app/node_modules/left-pad/index.js", ["left-pad"], [], true],
    ["/app/node_modules/@scope/pkg/index.js", ["@scope/pkg"], [], true],
    ["/app/node_modules/left-pad/node_modules/right-pad/index.js", ["left-pad"], [], false],
    ["/app/node_modules/.store/a@1/node_modules/left-pad/lib/index.js", ["left-pad"], [], true],
    ["/app/node_modules/left-padding/index.js", ["left-pad"], [], false],
    ["/app/node_modules/left-pad/index.js", ["**"], [], true],
    ["/app/src/a.ts", [], ["src/**"], false],
    ["/app/src/a.ts", ["src/a.ts"], ["**/*.ts"], false],
    ["/app/src/deep/er/a.test.js", [], ["**/*.test.{js,ts}"], false],
    ["/repo/packages/recorder/dist/index.js", ["**"], [], false],
  ])("%s with include %j and exclude %j: %s", (file, include, exclude, expected) => {
    expect(filter(include, exclude)(file)).toBe(expected);
  });
});

test("a single star stays inside one folder", () => {
  const pattern = globToPattern("lib/*.js", "/app");
  expect(pattern.test("/app/lib/a.js")).toBe(true);
  expect(pattern.test("/app/lib/sub/a.js")).toBe(false);
});

test("characters of regular expressions are taken as they are", () => {
  expect(globToPattern("/a+b/(c)/x.js", "/").test("/a+b/(c)/x.js")).toBe(true);
});

test("packages are named whole: a name with a dot, or one that looks like a file", () => {
  const isRecorded = createFileFilter({
    include: [],
    includePackages: ["big.js", "@scope/a.b"],
    exclude: ["**/node_modules/big.js/skip/**"],
    cwd: "/app",
    ownFolders: [],
  });
  expect(isRecorded("/app/node_modules/big.js/big.js")).toBe(true);
  expect(isRecorded("/app/node_modules/@scope/a.b/i.js")).toBe(true);
  expect(isRecorded("/app/node_modules/big.js/skip/big.js")).toBe(false);
  expect(isRecorded("/app/node_modules/bigxjs/big.js")).toBe(false);
});
