interface Item {
  readonly name: string;
  readonly price: number;
}

export interface Cart {
  readonly items: readonly Item[];
  readonly code: string;
}

const DISCOUNTS: Readonly<Record<string, { readonly percent: number }>> = { TEN: { percent: 10 } };

function discountOf(code: string): number {
  const discount = DISCOUNTS[code];
  if (discount === undefined) throw new RangeError(`no such discount: ${code}`);
  return discount.percent / 100;
}

export function checkout({ items, code }: Cart): string {
  const sum = items.reduce((total, { price }) => total + price, 0);
  return `${items.length} item: ${(sum * (1 - discountOf(code))).toFixed(2)} EUR`;
}
