import { defineConfig } from '@playwright/test'

export default defineConfig({
  retries: 1,
  projects: [{ name: 'bench' }],
  reporter: [
    ['junit', { outputFile: 'junit.xml' }],
    ['json', { outputFile: 'report.json' }],
    ['playwright-ctrf-json-reporter', { outputDir: '.', outputFile: 'ctrf.json' }],
  ],
})
