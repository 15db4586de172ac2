/** What every reporter needs before core is loaded, and without it: bundled into each of them, so it stays small. */
export { announceListener } from '../test-side/environment'
export { messageOf, tellUser } from '../util/tell-user'
export { ChannelFolder } from './channel-folder'
export { CoreLink, type Core, type CoreLoader } from './core-link'
export { isRepetition } from './repetition'
export { addOutput } from './output-limit'
