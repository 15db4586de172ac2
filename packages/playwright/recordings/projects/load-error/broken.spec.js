require('./nowhere')
