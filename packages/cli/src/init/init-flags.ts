export interface InitFlags {
  dir?: string
  url?: string
  procedure?: string
  yes?: boolean
  dryRun?: boolean
  undo?: boolean
  install: boolean
  json?: boolean
}
