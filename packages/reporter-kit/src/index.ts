/** What the reporter's process needs: access to core, guarded hooks, and rules that the three mappings share. */
export { ChannelFolder } from './channel-folder'
export { LazyExecution, loadCore, type Core } from './lazy-execution'
export * from './handed-values'
export { HookGuard, isDuplicateReporter } from './hook-guard'
export { addOutput } from './limit-output'
export {
  findOwnPlace,
  listSourceLocations,
  readSnippet,
  toOwnLocation,
  type FrameLocation,
} from './source-location'
export { createCountedTest, createUnmappedSuite, toRelativePath, type SuiteFacts } from './suite-fields'
export { hasRun, tellUser } from '@runledger/core/light'
