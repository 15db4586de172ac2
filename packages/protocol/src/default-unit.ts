/** The serial number that reporters derive for software: the package and its commit, or the host without one. */
export function formatDefaultSerialNumber(packageName: string, build: string): string {
  return `${packageName.replace(/^@/, '').replaceAll('/', '-')}@${build}`
}

/** Whether a reporter derived the serial number from this package, which is then itself the unit. */
export function isDefaultSerialNumber(serialNumber: string, packageName: string): boolean {
  return serialNumber.startsWith(formatDefaultSerialNumber(packageName, ''))
}
