import type { LineDays } from '../line-search'
import { Choice } from '../ui/picker'

const WORDS: Record<LineDays, string> = {
  '7': '7 days',
  '28': '28 days',
  '90': '90 days',
  '365': '365 days',
}

/** Chooses how far back the numbers of a line look. */
export function DaysChoice({ days, onChoose }: { days: LineDays; onChoose: (days: LineDays) => void }) {
  return <Choice label="Period" value={days} words={WORDS} onChoose={onChoose} />
}
