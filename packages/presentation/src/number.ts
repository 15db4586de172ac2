import { formatWholeNumber } from '@runledger/protocol'

/** Loses no digit; uses exponents only where plain digits would be unreadable. */
export function formatNumber(value: number): string {
  return String(value).replace('-', '−')
}

/** `1 step`, `2 steps`, `2,000 steps`. */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${formatWholeNumber(count)} ${count === 1 ? singular : plural}`
}
