import { format } from "@/lib/format";
export const late = () => format("late");
export function fail(given: { shapes: object[]; ring: unknown; nothing: unknown }): void {
  const count: number = given.shapes.length;
  (given.ring as { inner: number }).inner = count;
}
