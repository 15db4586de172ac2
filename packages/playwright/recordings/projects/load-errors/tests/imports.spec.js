require('./helper')
