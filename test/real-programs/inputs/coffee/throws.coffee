f = (x) ->
  throw new RangeError "no #{x}"
do -> f 3
