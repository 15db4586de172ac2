/** Downloads the text as a file. */
export function saveCsv(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${name.replace(/[^\w.-]+/g, '_')}.csv`
  link.click()
  URL.revokeObjectURL(address)
}
