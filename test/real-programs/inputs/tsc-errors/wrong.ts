interface Order { id: number; lines: { price: number }[] }
const order: Order = { id: "seven", lines: [{ prize: 3 }] };
function total(o: Order): string { return o.lines.reduce((sum, line) => sum + line.price, 0); }
order.nothing();
total(order, 1);
for (const x of 5) {}
