export default {
  test: {
    projects: [
      { test: { name: 'one', include: ['late.test.ts', 'tries.test.ts'] } },
      { test: { name: 'two', include: ['late.test.ts'] } },
    ],
  },
}
