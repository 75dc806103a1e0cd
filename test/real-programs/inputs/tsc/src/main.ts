import { Circle, Kind, Units, type Area, type Shape } from "./shapes";
function log(_target: unknown, name: string): void { void name; }
class Report {
  private readonly shapes: Shape[] = [];
  @log
  async add(...shapes: Shape[]): Promise<this> { for (const shape of shapes) this.shapes.push(shape); return this; }
  *totals(): Generator<Area<Shape>> { for (const { area } of this.shapes) yield area.call(this); }
  get first(): Shape | undefined { return this.shapes?.[0] ?? undefined; }
}
const report = new Report();
void report.add(new Circle(Units.scale(2))).then((r) => [...r.totals()].length === Kind.Circle);
export { report };
