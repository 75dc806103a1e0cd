// Starts the recorder by its first import.
import "orangebox/register";
import { Cart } from "./cart.ts";

const cart = new Cart("bob");
cart.add("pear", -1);

function checkout(given: Cart): number {
  const tax = given.owner.length;
  return given.total() + tax;
}

console.log(checkout(cart));
