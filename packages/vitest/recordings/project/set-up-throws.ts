export const setup = () => {
  throw new Error('set-up')
}
