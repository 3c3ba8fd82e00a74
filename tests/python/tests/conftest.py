# SPDX-License-Identifier: Apache-2.0
def pytest_configure(config):
    config.addinivalue_line("markers", "slow: left to `./run python`")
