// A value that must not be anywhere on disk in the clear.
function greet(customer) {
  const letter = ["dear", customer.name].join(" ");
  return letter.missing.length;
}
console.log(process.moduleLoadList.includes("NativeModule crypto"));
greet({ name: ["Ada", "Lovelace", 1815].join("-") });
