export interface Sizes {
  runs: number
  steps: number
  attachments: number
  seed: number
  megabytes?: number
}

export function makeDataFolder(folder: string, sizes: Sizes): Promise<string>
