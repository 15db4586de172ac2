/**
 * What a person reads out of a record: which steps explain a failure, what differs, where it is in the code, and all of it
 * as Markdown. Who only sends runs does not load it.
 */
export * from './annotations'
export * from './attachment-kind'
export * from './bytes'
export * from './duration'
export * from './error-text'
export * from './group'
export * from './limits'
export * from './markdown'
export * from './run-markdown'
export * from './measurement-text'
export * from './number'
export * from './outcome'
export * from './plain-text'
export * from './source-link'
export * from './step-attachments'
export * from './step-tree'
export * from './suite-log'
export * from './verdict'
export * from './web-link'
export * from './workers'
