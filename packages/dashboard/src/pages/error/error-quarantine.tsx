import { useQuery } from '@tanstack/react-query'
import { quarantineQuery } from '../../api/quarantine'
import { QuarantineEntries } from '../../parts/quarantine-entries'
import { Card } from '../../ui/card'

/** Tests that are in quarantine with this error; nothing without one. */
export function ErrorQuarantine({ fingerprint }: { fingerprint: string }) {
  const { data } = useQuery(quarantineQuery({ fingerprints: fingerprint }))
  if (data === undefined || data.data.length === 0) return null
  return (
    <Card title="In quarantine with this error">
      <QuarantineEntries entries={data.data} />
    </Card>
  )
}
