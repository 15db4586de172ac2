throw 'a text while loading'
