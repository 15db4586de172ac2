/** For test files. Works in Node, Jest's sandbox and browsers. */
export { copyAttachment, createFolderSink, createUniqueId, readChannelFolder } from './channel'
export { InvalidArgumentError } from './check-arguments'
export { createTestApi } from './create-test-api'
export type { AttachmentInput, EventSink, RunStep } from './event-sink'
export { createClock, createLazyReporter, getBuiltIn } from './runtime'
export type { AttachOptions, MeasureOptions, NamedLimits, TestApi, UnitUnderTest } from './test-api-types'
