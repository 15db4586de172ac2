const HEAD = ['', 'files', 'lines', 'of tests', 'functions', 'median', '90 %', 'longest function']

/** The report as text, for a person. */
export function formatReport({ packages, circles, folderCircles, entries, together }) {
  const rows = packages.flatMap((each) => [
    formatRow(each.name, each),
    ...each.folders.map((folder) => formatRow(`  ${folder.name}`, folder)),
  ])
  return [
    ...formatTable([HEAD, ...rows]),
    '',
    `import circles: ${circles.length}`,
    ...circles.map((circle) => formatCircle(circle)),
    `circles of folders: ${folderCircles.length}`,
    ...folderCircles.map((circle) => formatCircle(circle, 'folders')),
    '',
    ...formatTable([
      ['published entry', 'bytes', 'with what it loads', 'files'],
      ...entries.flatMap(formatEntries),
    ]),
    '',
    ...formatTable([HEAD, formatRow(together.name, together)]),
  ].join('\n')
}

/** A circle with each of its files or folders, and what that imports of the others. @returns {string} */
export function formatCircle(circle, what = 'files') {
  const lines = circle.map(({ file, imports }) => `  ${file} imports ${imports.map(shortenPlace).join(', ')}`)
  return [`circle of ${circle.length} ${what}:`, ...lines].join('\n')
}

function formatRow(title, { files, lines, testLines, functions, medianLines, p90Lines, longest }) {
  const numbers = [files, lines, testLines, functions, medianLines, p90Lines].map(formatNumber)
  return [
    title,
    ...numbers,
    longest ? `${longest.lines}: ${longest.name}, ${shortenPlace(longest.place)}` : '',
  ]
}

function formatEntries({ name, built }) {
  if (built === undefined) return [[`${name}: not built, npm run build`]]
  return built.map(({ entry, bytes, loadedBytes, loadedFiles }) => [
    `${name} ${entry}`,
    ...[bytes, loadedBytes, loadedFiles].map(formatNumber),
  ])
}

function shortenPlace(place) {
  return place.replace(/^packages\/[^/]+\/src\//, '')
}

function formatNumber(number) {
  return number.toLocaleString('en')
}

/** Numbers stand to the right of their column, everything else to the left. */
function formatTable(rows) {
  const width = (column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  const align = (cell, column) =>
    /^[\d,]+$/.test(cell) ? cell.padStart(width(column)) : cell.padEnd(width(column))
  return rows.map((row) => row.map(align).join('  ').trimEnd())
}
