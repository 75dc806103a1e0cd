var a = 1; function ( { }
