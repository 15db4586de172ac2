/**
 * What tests put measurements, attachments and the rest on record with, the same for every framework: bundled into each
 * reporter's package and loaded by each test file, so it stays small and imports nothing.
 */
export { toBase64 } from './bytes'
export { getBuiltIn } from './built-in'
export { createClock } from './clock'
export { createTestSide, type TestSideSettings } from './create-test-side'
export { hasListener, readChannelFolder } from './environment'
export { keepFile, uniqueText } from './keep-file'
export { createLazyReporter } from './lazy-reporter'
export { judgeWithinLimits } from './matcher'
export { MisuseError } from './misuse'
export type { FindPlace, GivenAttachment, Place, RunStep, Stamp } from './place'
export { SAID_MEDIA_TYPE, SAID_META, type Said, type SaidFile } from './said'
export type { Limits } from './limits'
export type {
  AttachOptions,
  MatcherResult,
  MeasureOptions,
  NamedLimits,
  TestSide,
  UnitUnderTest,
} from './test-side'
