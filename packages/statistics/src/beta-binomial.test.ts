import { expect, it } from 'vitest'
import { createSequenceLikelihood } from './beta-binomial'
import { LUCI_LIKELIHOODS } from './luci-vectors'

it.each(LUCI_LIKELIHOODS)(
  "likelihood of a sequence, LUCI's vectors: $hits of $n, prior $prior",
  ({ prior, hits, n, orders, expected }) => {
    const found = orders * Math.exp(createSequenceLikelihood(prior)(hits, n))
    expect(Math.abs(found - expected)).toBeLessThanOrEqual(Number.EPSILON)
  },
)
