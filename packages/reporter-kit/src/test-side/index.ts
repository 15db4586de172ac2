/** What test files load: the functions that put things on record. Works in Node, in Jest's sandbox and in a browser. */
export { TEST_API_MEDIA_TYPE, TEST_API_META } from '@runledger/core/light'
export { copyAttachment, createUniqueId, hasListener, readChannelFolder } from './channel'
export { InvalidArgumentError } from './check-arguments'
export { createTestApi, type TestApiSettings } from './create-test-api'
export type { AttachmentInput, EventSink, EventStamp, FindSink, RunStep } from './event-sink'
export { createClock, createLazyReporter, getBuiltIn, toBase64 } from './runtime'
export type {
  AttachOptions,
  MatcherResult,
  MeasureOptions,
  NamedLimits,
  TestApi,
  UnitUnderTest,
} from './test-api'
