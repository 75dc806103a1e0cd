// Starts the recorder itself, after its own file has been read.
import { install, isInstalled } from "orangebox";
import { Cart } from "./cart.ts";

const cart = new Cart("ada");
cart.add("apple", 2);
console.log(isInstalled());
install();
console.log(isInstalled(), String(Cart.prototype.add).includes("__ob"));

function checkout(given: Cart): number {
  const tax = given.owner.length;
  return given.total() + tax;
}

console.log(checkout(cart));
cart.add("pear", -1);
console.log(checkout(cart));
