export const setup = () => {
  process.exitCode = 1
}
