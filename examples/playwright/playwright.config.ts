import { defineConfig } from '@playwright/test'

const chromium = process.env.CHROMIUM_PATH

export default defineConfig({
  testDir: 'tests',
  retries: 1,
  reporter: [['list'], ['@runledger/playwright']],
  use: {
    viewport: { width: 480, height: 400 },
    screenshot: 'only-on-failure',
    ...(chromium ? { launchOptions: { executablePath: chromium } } : {}),
  },
})
