import './no-such-module'
