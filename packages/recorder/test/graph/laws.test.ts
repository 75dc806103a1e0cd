/** Laws of the serializer that must hold for every graph; fast-check looks for one that breaks them. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { serializeGraph } from "../../src/graph/serialize-graph.ts";
import type { GraphNode, GraphResult } from "../../src/graph/serialize-graph.ts";
import { cook, KINDS } from "./graph-recipe.ts";
import type { Expected, Ingredient, Meal } from "./graph-recipe.ts";

const ingredient: fc.Arbitrary<Ingredient> = fc.record({
  kind: fc.constantFrom(...KINDS),
  links: fc.array(fc.nat(12), { maxLength: 4 }),
  scalar: fc.integer({ min: -1000, max: 1000 }),
  secret: fc.boolean(),
});
const recipe = fc.array(ingredient, { minLength: 1, maxLength: 12 });
const WIDE = { maxDepth: 100, deadlineMs: 60_000 };

function capture(meal: Meal): GraphResult {
  const locals = meal.values.map((value, at) => ({ name: `v${at}`, value }));
  return serializeGraph([{ locals }], [], WIDE);
}

function node(result: GraphResult, id: number): GraphNode {
  const found = result.nodes[id];
  if (found === undefined) throw new Error(`id ${id} does not resolve`);
  return found;
}

/** The captured graph must be the live one: same kinds, same edges, one id per object. */
function checkShape(meal: Meal, result: GraphResult): void {
  const ids = meal.values.map((value) => result.idOf(value));
  expect(new Set(ids).size).toBe(new Set(meal.values).size);
  const captured = meal.expected.map((wanted, at) => outline(result, ids[at] ?? -1, wanted));
  const cooked = meal.expected.map((wanted) => ({
    ...wanted,
    items: wanted.items.map(([key, to]) => [key, typeof to === "number" ? ids[to] : to.repr]),
  }));
  expect(captured).toEqual(cooked);
}

/** What a node says, as far as something is expected of it. */
function outline(result: GraphResult, id: number, wanted: Expected): object {
  const found = node(result, id);
  const items = found.items.map((item, which) => {
    const byId = typeof wanted.items[which]?.[1] === "number";
    return [item.key, byId ? item.id : rendered(node(result, item.id))];
  });
  const part = (name: keyof Expected & keyof GraphNode): object =>
    wanted[name] === undefined ? {} : { [name]: found[name] };
  return { kind: found.kind, ...part("typeName"), ...part("repr"), ...part("length"), items };
}

function rendered(found: GraphNode): string {
  return found.repr ?? (found.kind === "list" ? "[]" : "{}");
}

function checkIds(result: GraphResult): void {
  const resolves = (id: number): boolean => result.nodes[id]?.id === id;
  const edges = result.nodes.flatMap((found) => found.items.map((item) => item.id));
  const keys = result.mapKeys.flatMap((entry) => [entry.id, ...entry.keys]);
  const ids = [...result.nodes.keys(), ...edges, ...keys];
  expect(ids.filter((id) => !resolves(id))).toEqual([]);
}

function checkSecrets(meal: Meal, result: GraphResult): void {
  const { nodes, objectNotes, mapKeys, budget, notes, redactions, frames } = result;
  const written = JSON.stringify({
    nodes,
    objectNotes,
    mapKeys,
    budget,
    notes,
    redactions,
    frames,
  });
  for (const secret of meal.secrets) expect(written).not.toContain(secret);
}

test("runs no code of the program, keeps the shape, resolves every id and leaks no secret", () => {
  fc.assert(
    fc.property(recipe, (ingredients) => {
      const meal = cook(ingredients);
      const result = capture(meal);
      expect(meal.touched()).toBe(0);
      checkIds(result);
      checkShape(meal, result);
      checkSecrets(meal, result);
    }),
    { numRuns: 10_000 },
  );
}, 60_000);

test("resolves every id and leaks nothing under any budget", () => {
  const limits = fc.record({
    maxBytes: fc.nat(2_000),
    maxContainer: fc.nat(3),
    maxDepth: fc.nat(3),
    maxString: fc.nat(30),
    reprLimit: fc.nat(30),
    maxObjects: fc.nat(40),
  });
  fc.assert(
    fc.property(recipe, limits, (ingredients, options) => {
      const meal = cook(ingredients);
      const locals = meal.values.map((value, at) => ({ name: `v${at}`, value }));
      const result = serializeGraph([{ locals }], [], options);
      expect(meal.touched()).toBe(0);
      checkIds(result);
      checkSecrets(meal, result);
    }),
    { numRuns: 1_000 },
  );
}, 60_000);
