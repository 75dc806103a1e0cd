class Animal
  constructor: (@name) ->
  move: (meters) -> "#{@name} moved #{meters}m."
class Snake extends Animal
  move: -> super 5
square = (x) -> x * x
list = (square n for n in [1..5] when n % 2)
{a, b: [first, others...]} = {a: 1, b: [1, 2, 3]}
console.log (new Snake "Sam").move(), list, first, others, a ? 0
