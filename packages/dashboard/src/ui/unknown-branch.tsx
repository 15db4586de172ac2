import { explainUnknownBranch, type VerdictList } from '@runledger/protocol'

/** Says once why failures were compared with their own branch alone, where that is so. */
export function UnknownBranch({ verdicts }: { verdicts: VerdictList }) {
  const told = explainUnknownBranch(verdicts)
  return told === undefined ? null : <p className="text-sm text-soft">{told}</p>
}
