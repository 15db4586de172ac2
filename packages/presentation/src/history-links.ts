export interface HistoryLinks {
  run: (id: string) => string
  build: (group: string) => string
  test: (id: string) => string
  error: (fingerprint: string) => string
}

export function createHistoryLinks(publicUrl: string): HistoryLinks {
  const at = (folder: string) => (name: string) => `${publicUrl}/${folder}/${encodeURIComponent(name)}`
  return { run: at('runs'), build: at('builds'), test: at('tests'), error: at('errors') }
}
