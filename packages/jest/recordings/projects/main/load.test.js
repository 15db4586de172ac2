require('./nope')
