/** Path of the configuration file without `--config`. */
export const DEFAULT_CONFIG_PATH = './gateway.yaml';
