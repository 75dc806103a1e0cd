import Shape from "./shape";
export class Circle implements Shape {
  constructor(private readonly radius: number) {}
  area() { return Math.PI * this.radius ** 2; }
}
