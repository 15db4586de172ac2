/**
 * One line of the table at the end: what was measured, what it may be at worst, what it was.
 * @typedef {{ name: string, target: number, isLeast?: boolean, value: number, unit: string, digits?: number }} Result
 */

/** Prints the table and returns the exit code: 1 when a target is missed. @param {readonly Result[]} results */
export function conclude(results) {
  const rows = results.map((result) => ({ ...format(result), holds: isMet(result) }))
  const width = (key, head) => Math.max(head.length, ...rows.map((row) => row[key].length))
  const widths = [width('name', ''), width('target', 'target'), width('value', 'result')]
  const line = (name, target, value, mark) =>
    `${name.padEnd(widths[0])}  ${target.padStart(widths[1])}  ${value.padStart(widths[2])}  ${mark}`
  console.log(`\n${line('', 'target', 'result', '')}`)
  for (const { name, target, value, holds } of rows)
    console.log(line(name, target, value, holds ? '✓' : '✗ missed'))
  const missed = rows.filter(({ holds }) => !holds).length
  console.log(missed === 0 ? '\nEvery target is met.' : `\n${missed} of ${rows.length} targets are missed.`)
  return missed === 0 ? 0 : 1
}

/** @param {Result} result */
function isMet({ target, value, isLeast = false }) {
  return isLeast ? value >= target : value <= target
}

/** @param {Result} result */
function format({ name, target, value, unit, digits = 2, isLeast = false }) {
  const show = (number) => `${number.toFixed(digits)}${unit === '' ? '' : ` ${unit}`}`
  return { name, target: `${isLeast ? '≥' : '≤'} ${show(target)}`, value: show(value) }
}
