import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TsConfigs, withoutComments } from "./tsconfig.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "orangebox-tsconfig-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** The beginning of a configuration that extends another one along two ways. */
const twice = (name: string): string => `{ "extends": ["./${name}", "./${name}"]`;

const compilerOf = (name: string): object => new TsConfigs().of(join(folder, name)).compiler;

test("the nearest configuration counts, with comments and trailing commas", () => {
  write({
    "tsconfig.json": '{ "compilerOptions": { "jsx": "react" } }',
    "a/tsconfig.json":
      '\ufeff// first\n{ "compilerOptions": { "experimentalDecorators": true, /* no */ "jsx": "React-JSX", }, }',
  });
  expect(compilerOf("a/b/c.ts")).toEqual({ experimentalDecorators: true, jsx: "react-jsx" });
  expect(compilerOf("d.tsx")).toEqual({ jsx: "react" });
});

test("text in quotes is no comment", () => {
  const text = '{ "a": "// /* ,}", "b": "\\"//", }';
  expect(JSON.parse(withoutComments(text))).toEqual({ a: "// /* ,}", b: '"//' });
});

test("what is extended counts, by path, by package and in order", () => {
  write({
    "base.json":
      '{ "extends": "./deep", "compilerOptions": { "jsxFactory": "h", "target": "es2020" } }',
    "deep.json": '{ "compilerOptions": { "emitDecoratorMetadata": true, "jsxFactory": "deep" } }',
    "node_modules/@tsconfig/strictest/tsconfig.json": '{ "compilerOptions": { "strict": false } }',
    "node_modules/shared/package.json": '{ "exports": {} }',
    "node_modules/shared/more.json": '{ "compilerOptions": { "target": "ES2022" } }',
    "tsconfig.json": '{ "extends": ["@tsconfig/strictest/tsconfig.json", "./base"] }',
    "other/tsconfig.json": '{ "extends": ["../base.json", "shared/more"] }',
    "package/tsconfig.json": '{ "extends": "@tsconfig/strictest" }',
  });
  expect(compilerOf("a.ts")).toEqual({
    emitDecoratorMetadata: true,
    jsxFactory: "h",
    strictNullChecks: false,
    useDefineForClassFields: false,
  });
  expect(compilerOf("other/a.ts")).toEqual({ emitDecoratorMetadata: true, jsxFactory: "h" });
  expect(compilerOf("package/a.ts")).toEqual({ strictNullChecks: false });
});

test("a circle, a missing or a broken configuration is none", () => {
  write({
    "circle/tsconfig.json":
      '{ "extends": "./tsconfig.json", "compilerOptions": { "jsx": "react" } }',
    "missing/tsconfig.json":
      '{ "extends": ["./no", "no/no"], "compilerOptions": { "jsx": "react" } }',
    "broken/tsconfig.json": '{ "compilerOptions": { "jsx": ',
    "list/tsconfig.json": "[]",
    "kinds/tsconfig.json":
      '{ "compilerOptions": { "jsx": 1, "paths": [], "baseUrl": {}, "strict": "x" } }',
  });
  expect(compilerOf("circle/a.ts")).toEqual({ jsx: "react" });
  expect(compilerOf("missing/a.ts")).toEqual({ jsx: "react" });
  expect(compilerOf("broken/a.ts")).toEqual({});
  expect(compilerOf("list/a.ts")).toEqual({});
  expect(compilerOf("kinds/a.ts")).toEqual({});
});

test("fields are defined unless the target or the option says no", () => {
  write({
    "old/tsconfig.json": '{ "compilerOptions": { "target": "es2021" } }',
    "new/tsconfig.json": '{ "compilerOptions": { "target": "ESNext" } }',
    "said/tsconfig.json":
      '{ "compilerOptions": { "target": "es5", "useDefineForClassFields": true } }',
  });
  expect(compilerOf("old/a.ts")).toEqual({ useDefineForClassFields: false });
  expect(compilerOf("new/a.ts")).toEqual({});
  expect(compilerOf("said/a.ts")).toEqual({});
});

test("paths belong to the folder of the file that says them, or to baseUrl", () => {
  write({
    "shared/base.json":
      '{ "compilerOptions": { "paths": { "@/*": ["./src/*"], "#": ["${configDir}/x.ts"] } } }',
    "app/tsconfig.json": '{ "extends": "../shared/base.json" }',
    "web/tsconfig.json":
      '{ "extends": "../shared/base.json", "compilerOptions": { "baseUrl": "lib" } }',
  });
  const configs = new TsConfigs();
  expect(configs.of(join(folder, "app/a.ts")).paths).toEqual([
    { pattern: "@/*", targets: [join(folder, "shared/src/*")] },
    { pattern: "#", targets: [join(folder, "app/x.ts")] },
  ]);
  const web = configs.of(join(folder, "web/a.ts"));
  expect(web.baseUrl).toBe(join(folder, "web/lib"));
  expect(web.paths[0]?.targets).toEqual([join(folder, "web/lib/src/*")]);
});

test("of a configuration that only refers to projects, the one with the file counts", () => {
  write({
    "tsconfig.json":
      '{ "files": [], "references": [{ "path": "./tsconfig.node.json" }, { "path": "app" }] }',
    "tsconfig.node.json": '{ "compilerOptions": { "jsx": "react" }, "include": ["tools/*.ts"] }',
    "app/tsconfig.json": '{ "compilerOptions": { "jsx": "preserve" }, "include": ["../src"] }',
  });
  expect(compilerOf("src/deep/a.tsx")).toEqual({ jsx: "preserve" });
  expect(compilerOf("tools/a.ts")).toEqual({ jsx: "react" });
  expect(compilerOf("elsewhere/a.ts")).toEqual({});
});

test("installed packages have no configuration of ours", () => {
  write({ "tsconfig.json": '{ "compilerOptions": { "jsx": "react" } }' });
  expect(compilerOf("node_modules/p/a.ts")).toEqual({});
});

test("a configuration that is extended along many ways is read once", () => {
  const steps = Array.from({ length: 30 }, (_, at) => [
    `step-${at}.json`,
    `${twice(`step-${at + 1}`)}, "compilerOptions": { "jsx": "react" } }`,
  ]);
  write({ ...Object.fromEntries(steps), "tsconfig.json": `${twice("step-0")} }` });
  expect(compilerOf("a.ts")).toEqual({ jsx: "react" });
});
