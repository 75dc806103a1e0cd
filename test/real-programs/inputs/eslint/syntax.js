function ( { return
