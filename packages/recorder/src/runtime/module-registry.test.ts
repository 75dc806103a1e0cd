import fc from "fast-check";
import { expect, test } from "vitest";
import { LAST_ID, LoadedModule, ModuleRegistry } from "./module-registry.ts";

function add(registry: ModuleRegistry, siteCount: number, wish: number): LoadedModule | undefined {
  return registry.add(
    siteCount,
    wish,
    (base) =>
      new LoadedModule({
        filename: `/m${base}.js`,
        scriptName: `/m${base}.js`,
        format: "commonjs",
        isTyped: false,
        isUnmarked: false,
        base,
        siteCount,
        generatedLength: 0,
        contentHash: "",
        load: () => {
          throw new Error("not asked for here");
        },
      }),
  );
}

test("a module gets the ids it wishes for if nobody has them", () => {
  const registry = new ModuleRegistry();
  expect(add(registry, 10, 500)?.base).toBe(500);
  expect(add(registry, 10, 510)?.base).toBe(510);
  expect(add(registry, 10, 490)?.base).toBe(490);
  expect(add(registry, 10, 505)?.base).toBe(0);
  expect(add(registry, 10, LAST_ID)?.base).toBe(10);
});

test("no two modules share an id, and each id finds its module", () => {
  const wish = fc.record({ siteCount: fc.integer({ min: 1, max: 40 }), wish: fc.nat(300) });
  fc.assert(
    fc.property(fc.array(wish, { maxLength: 40 }), (wishes) => {
      const registry = new ModuleRegistry();
      const owners = new Map<number, LoadedModule>();
      for (const { siteCount, wish: base } of wishes) {
        const module = add(registry, siteCount, base);
        if (module === undefined) throw new Error("there is room for all of these");
        for (let id = module.base + 1; id <= module.base + siteCount; id++) {
          expect(owners.has(id)).toBe(false);
          owners.set(id, module);
        }
      }
      for (let id = 0; id < 2500; id++) expect(registry.findById(id)).toBe(owners.get(id));
      expect(registry.size).toBe(wishes.length);
    }),
  );
});

test("when all ids are given out a module gets none", () => {
  const registry = new ModuleRegistry();
  expect(add(registry, LAST_ID - 5, 0)?.base).toBe(0);
  expect(add(registry, 6, 3)).toBeUndefined();
  expect(add(registry, 5, 3)?.base).toBe(LAST_ID - 5);
});
