export interface Shape {
  area(): number;
}
export class Square implements Shape {
  area() {
    return 4;
  }
}
