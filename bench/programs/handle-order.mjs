// A request handler as people write them: builds records, validates them, summarises them.

const RULES = [
  { field: "sku", check: (value) => typeof value === "string" && value.length > 3 },
  { field: "quantity", check: (value) => Number.isInteger(value) && value > 0 },
  { field: "price", check: (value) => typeof value === "number" && value >= 0 },
];

class ValidationError extends Error {
  constructor(field, value) {
    super(`${field} is not valid: ${value}`);
    this.field = field;
  }
}

function buildLine(seed, index) {
  const quantity = ((seed * 31 + index * 17) % 9) + 1;
  const price = ((seed * 7 + index * 13) % 1000) / 10;
  return {
    sku: `sku-${(seed + index) % 50}`,
    quantity,
    price,
    tags: index % 3 === 0 ? ["new"] : [],
  };
}

function buildOrder(seed, size) {
  const lines = [];
  for (let index = 0; index < size; index++) lines.push(buildLine(seed, index));
  return { id: seed, customer: { name: `customer ${seed % 100}`, vip: seed % 10 === 0 }, lines };
}

function validateLine(line) {
  for (const { field, check } of RULES) {
    if (!check(line[field])) throw new ValidationError(field, line[field]);
  }
  return line;
}

function normalize(line) {
  const sku = line.sku.toUpperCase();
  return { ...line, sku, net: round(line.quantity * line.price) };
}

function round(value) {
  return Math.round(value * 100) / 100;
}

function summarize(order, lines) {
  const bySku = new Map();
  let total = 0;
  for (const line of lines) {
    total += line.net;
    const seen = bySku.get(line.sku);
    if (seen === undefined) bySku.set(line.sku, { count: line.quantity, net: line.net });
    else {
      seen.count += line.quantity;
      seen.net = round(seen.net + line.net);
    }
  }
  const discount = order.customer.vip ? 0.1 : 0;
  return {
    id: order.id,
    total: round(total * (1 - discount)),
    kinds: bySku.size,
    top: topOf(bySku),
  };
}

function topOf(bySku) {
  let top;
  for (const [sku, { net }] of bySku) if (top === undefined || net > top.net) top = { sku, net };
  return top;
}

export function handleOrder(order) {
  const lines = order.lines.map((line) => normalize(validateLine(line)));
  return summarize(order, lines);
}

export { buildOrder };
