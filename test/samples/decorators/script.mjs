// JavaScript with decorators, which no Node runs yet.
const times = (n) => () => (value) => value * n;
class Price {
  @times(3) amount = 2;
  accessor label = "each";
  fail(order) {
    const name = this.label;
    return order.lines.map((line) => line.price * this.amount + name);
  }
}
console.log(new Price().amount, new Price().label);
new Price().fail({ lines: [null] });
