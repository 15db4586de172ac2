import type { Metrics } from '../../base/metrics'
import type { StorageContext } from '../../storage/context'
import { createFiguresReader, registerStorageFigures } from './storage-figures'

const READ_AGAIN_AFTER_MS = 1_000

export type MetricsText = Awaited<ReturnType<Metrics['format']>>

/** Reads at most once a second, because metrics are costly and need no key. */
export function createMetricsReader({
  database,
  config,
  metrics,
}: Pick<StorageContext, 'database' | 'config' | 'metrics'>): () => Promise<MetricsText> {
  const readFigures = createFiguresReader(database, config.dataDir)
  const setFigures = registerStorageFigures(metrics.registry)
  let text: Promise<MetricsText> | undefined
  let readAtMs = -Infinity
  return () => {
    if (!text || performance.now() - readAtMs >= READ_AGAIN_AFTER_MS) {
      readAtMs = performance.now()
      text = readFigures().then((figures) => {
        setFigures(figures)
        return metrics.format()
      })
      text.catch(() => (text = undefined))
    }
    return text
  }
}
