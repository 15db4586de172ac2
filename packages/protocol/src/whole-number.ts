/** A count with a comma after each three digits: `2,000`. Intl, which reporters would load for this alone, takes 16 ms. */
export function formatWholeNumber(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}
