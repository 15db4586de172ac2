const files = (folder, place) => ({ testMatch: [`<rootDir>/${folder}/*.test.js`], globals: { PLACE: place } })
module.exports = {
  maxWorkers: 3,
  projects: [
    { rootDir: '<rootDir>', ...files('a', 1) },
    files('a', 2),
    { displayName: 'named', ...files('a', 3) },
    '<rootDir>/sub',
    '<rootDir>/c/jest.config.js',
  ],
}
